drop function has_valid_port(text);
drop function refuse_value(text, text);
drop function has_no_outer_spaces(text);
drop function without_control_characters(text);
