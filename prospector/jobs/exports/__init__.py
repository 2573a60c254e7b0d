"""The files of a job: read from one consistent picture, written row by row, whole or absent."""
