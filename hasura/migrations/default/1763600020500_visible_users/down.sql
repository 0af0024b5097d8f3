drop view visible_user;
