# Replaces prom/prometheus:v3.5.0: Prometheus 2 from Debian, with the user and the folder of the image, and wget for the health check.
FROM containers-test/debian
RUN apt-get -o Acquire::Check-Valid-Until=false update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends prometheus wget \
  && rm -rf /var/lib/apt/lists/* /etc/prometheus \
  && mkdir -p /etc/prometheus \
  && install --directory --owner 65534 --group 65534 /prometheus
VOLUME /prometheus
ENTRYPOINT ["prometheus"]
