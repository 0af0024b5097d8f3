-- Sets the tables of an earlier version aside, in the schema "earlier", so that Hasura makes those of this version as in an empty
-- database. Nothing is deleted. How it is used: docs/operations/roll-out.md. Run it as superuser, while no service runs, then
-- ops/roles.sql again.

begin;
alter schema public rename to earlier;
-- Hasura's record of the migrations, and its metadata.
alter schema hdb_catalog rename to earlier_hdb_catalog;
create schema public authorization pg_database_owner;
commit;
