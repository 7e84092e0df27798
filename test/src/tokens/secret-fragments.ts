/** Texts that reveal a secret: its random part, whole and truncated, plain and in other encodings. */
export const secretFragments = (secret: string): readonly string[] => {
  const random = secret.split(/_sk_|_cs_|\./).at(-1) ?? secret;
  const encoded = [secret, `${secret}\n`, `:${secret}`, `::${secret}`].map((text) =>
    Buffer.from(text).toString('base64'),
  );
  return [random, encodeURIComponent(random), random.slice(-16), ...encoded.map((text) => text.slice(-28, -4))];
};

/** Log messages that must be present. */
export const auditMessages = [
  'API key created',
  'API key revoked',
  'client created',
  'client secret rotated',
  'token issued',
] as const;
