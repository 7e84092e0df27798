import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 178 bits of chance; letters and digits only, so that a double click selects the whole key. */
const secretLength = 30;
const checkLength = 6;
const shape = new RegExp(`^[a-z][a-z0-9]{1,31}_sk_[0-9A-Za-z]{${secretLength + checkLength}}$`);

const base62 = (value: number, length: number): string => {
  let text = '';
  for (let left = value; text.length < length; left = Math.floor(left / 62)) text = alphabet[left % 62]! + text;
  return text;
};

/** A new key, `<vendor>_sk_<random><checksum>`. The checksum lets scanners know a key and us refuse a typo without looking. */
export const generateApiKey = (vendor: string): string => {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const body = `${vendor}_sk_${secret}`;
  return body + base62(crc32(body), checkLength);
};

/** Whether a text has the form of an API key, whoever's and whether or not it was ever given out. */
export const hasApiKeyFormat = (text: string): boolean => shape.test(text);

export const hasRightChecksum = (key: string): boolean =>
  base62(crc32(key.slice(0, -checkLength)), checkLength) === key.slice(-checkLength);

/** What is stored of a key. It has more chance in it than anyone can try, so a fast hash is enough. */
export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** By which its owner recognises a key in a list: the vendor and four characters. */
export const apiKeyPrefix = (key: string): string => key.slice(0, key.indexOf('_sk_') + 8);
