# Replaces caddy:2.10-alpine: Caddy from Debian, which may listen on ports below 1024, and wget for the health check.
FROM containers-test/debian
RUN apt-get -o Acquire::Check-Valid-Until=false update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends caddy wget libcap2-bin \
  && setcap cap_net_bind_service=+ep /usr/bin/caddy \
  && rm -rf /var/lib/apt/lists/*
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
RUN mkdir -p /config /data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
