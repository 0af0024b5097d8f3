drop function finish_import(text, bigint, bigint);
drop function import_people(text, jsonb);
drop function start_import(text, text, text, text, text, integer, text, text);
drop table import;
