-- Who may see whom: themselves, and whoever is in a team with them. As rows, so that a list of users
-- begins at the viewer's memberships; "this is me, or we share a team" would be asked of every user.
create view visible_user as
select id as viewer_id, id as user_id
from "user"
union all
select mine.user_id as viewer_id, theirs.user_id
from membership as mine
join membership as theirs on theirs.team_id = mine.team_id;
comment on view visible_user is 'Who may see whom';
