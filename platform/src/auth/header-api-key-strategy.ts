import type { IncomingMessage } from 'node:http';
import passport from 'passport';
import type { VerifyCredential } from './verify.ts';

/** What passport lends a strategy for one request. */
interface Acting {
  success(user: object): void;
  fail(challenge?: string): void;
  error(error: unknown): void;
}

/** `X-API-Key` as a passport strategy. The verify function is a plain field: passport acts on an object derived from this one. */
export class HeaderApiKeyStrategy extends passport.Strategy {
  override readonly name = 'x-api-key';
  readonly verify: VerifyCredential;

  constructor(verify: VerifyCredential) {
    super();
    this.verify = verify;
  }

  override authenticate(this: this & Acting, request: IncomingMessage): void {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') {
      this.fail();
      return;
    }
    this.verify(key).then(
      (principal) => (principal ? this.success(principal) : this.fail()),
      (error: unknown) => this.error(error),
    );
  }
}
