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
  'an API key was made',
  'an API key was revoked',
  'a client was made',
  'a client got another secret',
  'a token was issued',
] as const;
