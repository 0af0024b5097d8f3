INSERT INTO shows.fair (title, host, opens, closes) VALUES ('Kites by the sea', 'ada', '2030-05-01', '2030-05-03'), ('Old clocks', 'bo', '2030-06-01', '2030-06-01');
INSERT INTO shows.place VALUES (1, 54.5, 10.25);
