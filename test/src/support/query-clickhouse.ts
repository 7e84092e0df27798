export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface ClickHouseResponse {
  readonly ok: boolean;
  /** The rows as tab-separated text without the last line end, or the server's error. */
  readonly text: string;
}

/** One statement over plain HTTP, as curl sends it; without credentials it is the engine's `default` user. */
export const queryClickHouse = async (
  url: string,
  who: Credentials | undefined,
  sql: string,
): Promise<ClickHouseResponse> => {
  const response = await fetch(url, {
    method: 'POST',
    ...(who && { headers: { authorization: `Basic ${btoa(`${who.username}:${who.password}`)}` } }),
    body: sql,
  });
  return { ok: response.ok, text: (await response.text()).trimEnd() };
};
