import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';

interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB of memory (OWASP Password Storage Cheat Sheet: N=2^15, r=8, p=3). */
const standardCost: PasswordCost = { N: 32_768, r: 8, p: 3 };
const maxMemoryBytes = 64 * 1024 * 1024;
const hashBytes = 32;

const deriveKey = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, { ...options, maxmem: maxMemoryBytes }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

const formatHash = ({ N, r, p }: PasswordCost, salt: Buffer, key: Buffer): string =>
  ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join(':');

/** The password has 144 random bits. */
export const generatePassword = (): string => randomBytes(18).toString('base64url');

/** The result contains the algorithm, its cost and the salt: `scrypt:{N}:{r}:{p}:{salt}:{hash}`. */
export const hashPassword = async (password: string, cost = standardCost): Promise<string> => {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt, cost);
  return formatHash(cost, salt, key);
};

const absentHash = formatHash(standardCost, Buffer.alloc(16), Buffer.alloc(hashBytes));

/** Without a hash, returns false after the same work, so the response time does not reveal whether an account exists. */
export const isPassword = async (password: string, hash: string | undefined): Promise<boolean> => {
  const [, N, r, p, salt = '', expected = ''] = (hash ?? absentHash).split(':');
  const key = await deriveKey(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return timingSafeEqual(key, Buffer.from(expected, 'base64url')) && hash !== undefined;
};
