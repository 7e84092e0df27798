/** An API key, a client's secret, an access token; as they are or percent-encoded. */
const shapes = [
  /[a-z][a-z0-9]{1,31}_sk_[0-9A-Za-z]{36}/g,
  /popsvc_cs_[\w-]{43}/g,
  /eyJ[\w-]{10,}(?:\.|%2e)eyJ[\w-]{10,}(?:\.|%2e)[\w-]{10,}/gi,
];

/** What has the form of a secret of ours, cut so that it can be told. */
export const secretsIn = (text: string): readonly string[] =>
  shapes.flatMap((shape) => text.match(shape) ?? []).map((secret) => `${secret.slice(0, 16)}…`);
