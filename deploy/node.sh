#!/bin/sh
# A Scrapyd node: the password comes from the environment into a file, never into a command line.
set -eu
: "${SCRAPYD_PASSWORD:?set it to a long random word}"
umask 077
printf '[scrapyd]\nusername = prospector\npassword = %s\n' "$SCRAPYD_PASSWORD" > /etc/scrapyd/conf.d/login.conf
export SCRAPY_SETTINGS_MODULE=prospector.settings
cd /var/lib/scrapyd
exec scrapyd --pidfile= --logger=prospector.logs.scrapyd_observer
