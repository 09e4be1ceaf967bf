-- The six count queries of experiment 9 of Hore et al., "Constrained Generalization for Data Anonymization", over the UCI
-- Adult table:
--
--   klimt query adult.csv release.csv --qi age,race,marital-status --workload examples/adult-queries.sql

SELECT COUNT(*) FROM adult a
WHERE a.marital-status IN ('Married-civ-spouse', 'Never-married', 'Married-spouse-absent', 'Divorced')
  AND a.race IN ('White', 'Black', 'Asian-Pac-Islander', 'Amer-Indian-Eskimo');

SELECT COUNT(*) FROM adult a
WHERE a.age BETWEEN 37 AND 77
  AND a.marital-status IN ('Married-civ-spouse', 'Never-married', 'Married-spouse-absent', 'Divorced')
  AND a.race IN ('White', 'Black', 'Asian-Pac-Islander', 'Amer-Indian-Eskimo');

SELECT COUNT(*) FROM adult a
WHERE a.age BETWEEN 22 AND 42
  AND a.race IN ('White', 'Black');

SELECT COUNT(*) FROM adult a
WHERE a.age BETWEEN 47 AND 67
  AND a.marital-status IN ('Married-civ-spouse', 'Never-married', 'Divorced')
  AND a.race IN ('White', 'Black');

SELECT COUNT(*) FROM adult a
WHERE a.age BETWEEN 42 AND 52
  AND a.marital-status IN ('Married-civ-spouse', 'Divorced', 'Married-spouse-absent')
  AND a.race IN ('White', 'Black', 'Asian-Pac-Islander');

SELECT COUNT(*) FROM adult a
WHERE a.age BETWEEN 42 AND 52
  AND a.marital-status IN ('Married-civ-spouse', 'Never-married')
  AND a.race IN ('White', 'Black');
