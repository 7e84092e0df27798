/** What must not be found: the chance in a secret, as it is and as it is written elsewhere, whole and cut. */
export const tracesOf = (secret: string): readonly string[] => {
  const chance = secret.split(/_sk_|_cs_|\./).at(-1) ?? secret;
  const coded = [secret, `${secret}\n`, `:${secret}`, `::${secret}`].map((text) =>
    Buffer.from(text).toString('base64'),
  );
  return [chance, encodeURIComponent(chance), chance.slice(-16), ...coded.map((text) => text.slice(-28, -4))];
};

/** What must be found. */
export const deeds = [
  'API key created',
  'API key revoked',
  'client created',
  'client secret rotated',
  'a token was issued',
] as const;
