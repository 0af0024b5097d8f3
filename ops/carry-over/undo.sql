-- Undoes ops/carry-over/set-aside.sql: drops the tables of this version with all their rows, and restores the tables
-- of the earlier version. Run it as superuser while no service runs, then start the earlier version.

begin;
drop schema public cascade;
drop schema if exists hdb_catalog cascade;
alter schema earlier rename to public;
alter schema earlier_hdb_catalog rename to hdb_catalog;
commit;
