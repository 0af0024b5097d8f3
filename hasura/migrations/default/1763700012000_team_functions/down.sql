drop function sign_up_and_join(text, text, text, jsonb);
drop function accept_invite(text, text);
drop function invite_team_members(text, jsonb, text, text);
drop function reset_api_key(text, text, text);
drop function create_api_key(text, text, text, text, text);
drop function delete_team(text, text);
drop function create_team(text, text);
drop function is_team_key(text, text);
drop function is_owner(text, text);
