#!/bin/sh
# A Scrapyd node: the password comes from the environment into a file, never into a command line.
set -eu
: "${SCRAPYD_PASSWORD:?set it to a long random word}"
umask 077
password=$(printf %s "$SCRAPYD_PASSWORD" | sed 's/%/%%/g') # Scrapyd reads its files with interpolation
printf '[scrapyd]\nusername = prospector\npassword = %s\n' "$password" > /etc/scrapyd/conf.d/login.conf
export SCRAPY_SETTINGS_MODULE=prospector.settings
cd /var/lib/scrapyd
exec scrapyd --pidfile= --logger=prospector.logs.scrapyd_observer
