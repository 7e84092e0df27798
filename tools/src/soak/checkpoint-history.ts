/** Has PostgreSQL keep every move of a checkpoint: who moved it, from where and to where. */
export const keepHistory = `
  CREATE TABLE checkpoint_history (
    id bigserial PRIMARY KEY, projection text, generation int, epoch bigint, before bigint, after bigint);
  CREATE FUNCTION keep_checkpoint() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF new.position <> old.position THEN
      INSERT INTO checkpoint_history (projection, generation, epoch, before, after)
      VALUES (new.projection, new.generation, new.epoch, old.position, new.position);
    END IF;
    RETURN new;
  END $$;
  CREATE TRIGGER keep_checkpoint AFTER UPDATE ON checkpoints FOR EACH ROW EXECUTE FUNCTION keep_checkpoint()`;
