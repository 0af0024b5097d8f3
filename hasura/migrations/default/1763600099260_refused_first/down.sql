drop trigger refuse_other_teams on action;
drop trigger refuse_other_teams on redirect;
drop trigger refuse_other_teams on transaction;
drop function refuse_other_teams();
