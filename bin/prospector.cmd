@echo prospector: Windows is supported through WSL: run "wsl --install" in PowerShell, restart, and use this folder from the Ubuntu window. 1>&2
@exit /b 3
