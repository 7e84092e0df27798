import { inspect } from 'node:util';
import { StartConfig } from '@popsvc/embedded/start';
import {
  ConfigError,
  databaseUrl,
  natsUrl,
  port,
  readConfig,
  Secret,
  secret,
  wholeNumber,
} from '@popsvc/platform/config';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { z } from 'zod';

const Config = z.object({
  PORT: port(8081),
  DATABASE_URL: databaseUrl(),
  TOKEN: secret(8),
  DAYS: wholeNumber(1, 10).optional(),
  NATS_URL: natsUrl().optional(),
});
const good = { DATABASE_URL: 'postgres://u:hidden@h/d', TOKEN: 'hidden-token' };

describe('config', () => {
  it('reads the environment with defaults, and treats an empty variable as unset', () => {
    const config = readConfig(Config, { ...good, PORT: '', DAYS: '7', OTHER: 'x' });
    expect(config).to.deep.include({ PORT: 8081, DAYS: 7 });
    expect(config.DATABASE_URL.reveal()).to.equal(good.DATABASE_URL);
  });

  it('names every invalid variable at once, and never a value', () => {
    const read = () =>
      readConfig(Config, { PORT: '80x', TOKEN: 'hidden', DAYS: '11', DATABASE_URL: 'mysql://u:hidden@h/d' });
    expect(read).to.throw(ConfigError, /PORT[\s\S]*DATABASE_URL[\s\S]*TOKEN[\s\S]*DAYS/);
    expect(read).to.not.throw(/hidden/);
    expect(() => readConfig(Config, {})).to.throw(/DATABASE_URL: is not set/);
    expect(read).to.throw(/TOKEN: is too short: it must have at least 8 characters/);
  });

  for (const text of ['-1', '65536', '1e3', '0x50', ' 80', '8080.0'])
    it(`rejects ${JSON.stringify(text)} as a port`, () => {
      expect(() => readConfig(Config, { ...good, PORT: text })).to.throw(/PORT/);
    });

  it('accepts the addresses of a cluster and checks each', () => {
    const cluster = 'nats://u:hidden@one:4222,tls://two:4222';
    expect(readConfig(Config, { ...good, NATS_URL: cluster }).NATS_URL?.reveal()).to.equal(cluster);
    for (const NATS_URL of ['http://u:hidden@one', 'nats://one,two:4222', 'one'])
      expect(() => readConfig(Config, { ...good, NATS_URL })).to.throw(/NATS_URL: (?!.*hidden)/);
  });

  it('rejects POSTGRES_REQUIRE_SYNC_STANDBY for the embedded PostgreSQL, which has no standby', () => {
    expect(readConfig(StartConfig, {}).POSTGRES_REQUIRE_SYNC_STANDBY).to.equal(false);
    const variables = {
      POSTGRES_REQUIRE_SYNC_STANDBY: 'true',
      POPSVC_OPERATOR_TOKEN: 'hidden-token-of-operators',
      POPSVC_ENCRYPTION_KEY: 'hidden-key-of-thirty-two-characters',
    };
    const read = (more: object) => readConfig(StartConfig, { ...variables, ...more });
    expect(() => read({})).to.throw('DATABASE_URL: must be set when POSTGRES_REQUIRE_SYNC_STANDBY is');
    expect(read({ DATABASE_URL: good.DATABASE_URL }).POSTGRES_REQUIRE_SYNC_STANDBY).to.equal(true);
  });

  it('requires the operator token and the encryption key with DATABASE_URL, and names them', () => {
    const { DATABASE_URL } = good;
    const given = { POPSVC_OPERATOR_TOKEN: 'hidden-token-of-operators', POPSVC_ENCRYPTION_KEY: 'hidden'.repeat(6) };
    for (const name of ['POPSVC_OPERATOR_TOKEN', 'POPSVC_ENCRYPTION_KEY'])
      expect(() => readConfig(StartConfig, { DATABASE_URL, ...given, [name]: '' })).to.throw(
        `${name}: must be set when DATABASE_URL is`,
      );
    expect(readConfig(StartConfig, { DATABASE_URL, ...given }).POPSVC_ENCRYPTION_KEY?.reveal()).to.equal(
      given.POPSVC_ENCRYPTION_KEY,
    );
    expect(() => readConfig(StartConfig, { POPSVC_ENCRYPTION_KEY: 'hidden' })).to.throw(
      /POPSVC_ENCRYPTION_KEY: is too short: (?!.*hidden)/,
    );
  });

  it('does not print secrets', () => {
    const token = new Secret('hidden');
    expect([String(token), JSON.stringify({ token }), inspect({ token }), token.toString()].join()).to.not.include(
      'hidden',
    );
  });
});

describe('log', () => {
  it('redacts credentials in any object, and the query of a URL', () => {
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
    log.info({ authorization: 'hidden', headers: { cookie: 'hidden', 'x-api-key': 'hidden', accept: 'shown' } });
    log.info({
      request: { headers: { authorization: 'hidden', 'set-cookie': 'hidden' } },
      body: { client_secret: 'hidden' },
    });
    log.info({ password: 'hidden', url: 'https://u:hidden@h/upload/1?signature=hidden' });
    expect(lines.join('')).to.include('shown').and.to.include('/upload/1').and.to.not.include('hidden');
  });
});
