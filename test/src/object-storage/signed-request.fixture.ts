import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * Checks a presigned URL by the rules of AWS Signature Version 4, independently of the client that signs, because the S3 server of
 * the tests accepts any signature. Returns the error, or undefined if the URL is valid.
 */
export const faultOfPresigned = (
  { method, url = '', headers }: IncomingMessage,
  secret: string,
): string | undefined => {
  const { pathname, searchParams } = new URL(url, 'http://host');
  const parameter = (name: string) => searchParams.get(`X-Amz-${name}`) ?? '';
  const [, day = '', region = '', service = ''] = parameter('Credential').split('/');
  const [date, signed] = [parameter('Date'), parameter('SignedHeaders')];
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Date.now() < at + Number(parameter('Expires')) * 1_000)) return 'Request has expired';
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const canonical = [
    method,
    pathname,
    query.join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const scope = [day, region, service, 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), createHash('sha256').update(canonical).digest('hex')];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text.join('\n')).toString('hex') === parameter('Signature') ? undefined : 'SignatureDoesNotMatch';
};
