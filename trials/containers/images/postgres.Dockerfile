# Replaces postgres:18: PostgreSQL 18 from Debian, with the parts of the image's entrypoint that the compose file needs.
FROM containers-test/debian
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql --create-home postgres
RUN apt-get -o Acquire::Check-Valid-Until=false update \
  && mkdir -p /etc/postgresql-common \
  && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends postgresql-18 \
  && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/* \
  && chown postgres:postgres /var/lib/postgresql \
  && install --directory --owner postgres --group postgres --mode 3777 /run/postgresql
ENV PATH=/usr/lib/postgresql/18/bin:$PATH PGDATA=/var/lib/postgresql/18/docker LANG=C.UTF-8
VOLUME /var/lib/postgresql
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
CMD ["postgres"]
