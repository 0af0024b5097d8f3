drop function find_or_create_action(text, text);
drop function store_request_key(text, text, boolean, text, text);
drop table request_key;
