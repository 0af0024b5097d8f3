drop function has_valid_port(text);
drop function without_control_characters(text);
