import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventStoreUrl, readConfig } from '@popsvc/platform/config';
import { formatConnectionString, InvalidConnectionString, parseConnectionString } from '@popsvc/platform/event-store';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { z } from 'zod';
// The client does not export its parser; the test compares it with ours.
import { parseConnectionString as parseAsClient } from '@eventstore/db-client/dist/Client/parseConnectionString.js';

const parse = parseConnectionString;

describe('a connection string of the event store', () => {
  it('names one node, with 2113 as the default port', () => {
    expect(parse('esdb://localhost:2114?tls=false')).to.deep.equal({
      hosts: [{ host: 'localhost', port: 2114 }],
      discoversByDns: false,
      options: { tls: 'false' },
    });
    expect(parse(' esdb://node-1.example/ ').hosts).to.deep.equal([{ host: 'node-1.example', port: 2113 }]);
  });

  it('names the nodes of a cluster, a login and a CA file', () => {
    expect(parse('esdb://popsvc:p%40ss@a:2113,b:2114,c?tls=true&tlsCaFile=/etc/ca%20file.crt')).to.deep.equal({
      hosts: [
        { host: 'a', port: 2113 },
        { host: 'b', port: 2114 },
        { host: 'c', port: 2113 },
      ],
      discoversByDns: false,
      login: { username: 'popsvc', password: 'p@ss' },
      options: { tls: 'true', tlsCAFile: '/etc/ca file.crt' },
    });
  });

  it('names a DNS name, and accepts the newer names of the schemes', () => {
    expect(parse('esdb+discover://cluster.internal').discoversByDns).to.equal(true);
    expect(parse('kurrentdb+discover://cluster.internal')).to.deep.equal(parse('esdb+discover://cluster.internal'));
    expect(parse('kurrentdb://a,b')).to.deep.equal(parse('esdb://a,b'));
  });

  it('names options in any case, as the client accepts them', () => {
    expect(parse('esdb://a?tls_ca_file=ca.crt&NODE_PREFERENCE=FOLLOWER&gossip-timeout=2').options).to.deep.equal({
      tlsCAFile: 'ca.crt',
      nodePreference: 'follower',
      gossipTimeout: '2',
    });
  });

  for (const text of [
    'esdb://a:2113?tls=false',
    'esdb://popsvc:a%3Ab%40c%2F%3F@a:2113,b:2114?tls=true&tlsCaFile=/ca%20%26%23.crt&nodePreference=readOnlyReplica',
    'esdb+discover://u:p@cluster:2113?connectionName=a@b&keepAliveInterval=-1&gossipTimeout=2',
    'kurrentdb://u:p@a,b/?tls=true',
  ])
    it(`is read by the client as ${text.replace(/:[^:]+@/, ':…@')}`, () => {
      const { hosts, discoversByDns, login, options } = parse(text);
      const {
        dnsDiscover,
        hosts: seeds,
        defaultCredentials,
        ...others
      } = parseAsClient(formatConnectionString(parse(text)));
      expect(seeds).to.deep.equal(hosts.map(({ host, port }) => ({ address: host, port })));
      expect(dnsDiscover).to.equal(discoversByDns);
      expect(defaultCredentials).to.deep.equal(login);
      expect(Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]))).to.deep.equal(
        options,
      );
    });

  for (const [text, problem] of [
    ['http://hidden:hidden@x', /must begin with esdb:\/\/ or esdb\+discover:\/\//],
    ['esdb://', /host 1 is empty/],
    ['esdb://a:2113,,c', /host 2 is empty/],
    ['esdb://a:2113,b:port', /the port of host 2 must be a number from 1 to 65535/],
    ['esdb://a:0', /the port of host 1/],
    ['esdb://[::1]:2113', /host 1 must be name:port; IPv6/],
    ['esdb://a b', /host 1 is not a host name/],
    ['esdb://hidden@a', /the login must be user:password/],
    ['esdb://user:hidden:hidden@a', /more than one ":".*%3A/],
    ['esdb://user:hidden@hidden@a', /the login contains "@".*%40/],
    ['esdb://user:hidden%@a', /the password is not percent-encoded/],
    ['esdb+discover://a,b', /takes one DNS name/],
    ['esdb://a?tls=yes', /tls must be true or false/],
    ['esdb://a?tlsVerifyCert=false', /tlsVerifyCert=false is not supported: name the CA with tlsCaFile/],
    ['esdb://u:hidden@a?tlsCa=x', /the option "tlsCa" is unknown/],
    ['esdb://a?nodePreference=primary', /nodePreference must be one of leader, follower/],
    ['esdb://a?gossipTimeout=2s', /gossipTimeout must be a whole number/],
    ['esdb://a?tls', /the option tls has no value/],
    ['esdb://a?tls=true&TLS=false', /the option tls is repeated/],
    ['esdb://a?userCertFile=x', /must be given together/],
    ['esdb://a?throwOnAppendFailure=false', /is not supported/],
  ] as const)
    it(`is refused: ${text.replaceAll('hidden', '…')}`, () => {
      expect(() => parse(text))
        .to.throw(InvalidConnectionString, problem)
        .and.not.to.match(/hidden/);
      const read = () => readConfig(z.object({ EVENTSTORE_URL: eventStoreUrl() }), { EVENTSTORE_URL: text });
      expect(read).to.throw(new RegExp(`EVENTSTORE_URL: .*${problem.source}`));
      expect(read).to.not.throw(/hidden/);
    });

  it('is refused in the configuration if it names a file that does not exist', async () => {
    const ca = join(await temporaryFolder('ca'), 'ca.crt');
    const Config = z.object({ EVENTSTORE_URL: eventStoreUrl() });
    const env = { EVENTSTORE_URL: `esdb://u:hidden@a,b?tlsCaFile=${encodeURIComponent(ca)}` };
    expect(() => readConfig(Config, env)).to.throw(`EVENTSTORE_URL: names a file that does not exist: ${ca}`);
    writeFileSync(ca, '');
    expect(readConfig(Config, env).EVENTSTORE_URL.reveal()).to.equal(env.EVENTSTORE_URL);
  });
});
