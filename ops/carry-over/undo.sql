-- Takes back ops/carry-over/set-aside.sql: the tables of this version are dropped, with what was written since, and those of the
-- earlier one are in their place again. Run it as superuser, while no service runs, and go on with the earlier version.

begin;
drop schema public cascade;
drop schema if exists hdb_catalog cascade;
alter schema earlier rename to public;
alter schema earlier_hdb_catalog rename to hdb_catalog;
commit;
