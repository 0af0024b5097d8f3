drop function accept_invite(text, text);
drop function invite_team_members(text, text, jsonb);
drop function reset_api_key(text, text, text);
drop function create_api_key(text, text, text, text, text);
drop function create_team(text, text);
drop function is_owner(text, text);
