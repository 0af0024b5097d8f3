-- A validated check cannot be made unvalidated, and need not be.
select;
