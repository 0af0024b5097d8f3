drop function delete_user_account(text);
drop function delete_person(text);
drop function unblock_team(text);
drop function block_team(text, text);
drop function create_app_with_id(text, text, text, boolean);
drop function record_task(text, text, text, text, jsonb);
