drop trigger keep_chosen_status on action;
drop function finish_import(text, bigint, bigint);
drop function import_people(text, jsonb);
drop function lock_import(text);
drop function start_import(text, text, text, text, text, integer, text, text, text, bigint, bigint);
drop function record_import(text, text, jsonb);
drop function keep_chosen_status();
drop table import;
