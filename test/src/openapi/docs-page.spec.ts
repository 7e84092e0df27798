import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { serve, type TestServer } from '../http/server.fixture.ts';
import { installed } from '../support/is-installed.ts';
import { describeIfInstalled } from '../support/required-binary.ts';
import { describedServers } from '@popsvc/tools/reference-pages';

const program = installed('chromium');

/** Of the first operation that has it. */
const field = (page: Page, name: string): Locator => page.locator(`[data-pname="${name}"]`).first();

describe('the page of the description', () => {
  let server: TestServer;
  before(async () => {
    const [{ own, description }] = describedServers as [(typeof describedServers)[number]];
    server = await serve(own, { description });
  });
  after(() => server.server.close());

  it('is a page of its own, under a policy of its own', async () => {
    const answer = await fetch(`${server.baseUrl}/docs`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.include("script-src 'self';");
    expect((await fetch(`${server.baseUrl}/docs`, { method: 'HEAD' })).status).to.equal(200);
  });

  it('loads scripts that may be kept for ever, compressed for who likes that', async () => {
    const page = await (await fetch(`${server.baseUrl}/docs`)).text();
    const scripts = [...page.matchAll(/src="([^"]+)"/g)].map(([, path]) => path);
    expect(scripts).to.have.length(2);
    for (const path of scripts) {
      const script = await fetch(`${server.baseUrl}/${path}`);
      expect(script.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(script.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
      expect((await script.text()).length).to.be.greaterThan(100);
    }
    const packed = await fetch(`${server.baseUrl}/${scripts[1]}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).to.equal('gzip');
  });

  it('brought nothing that calls home when it is installed', () => {
    const lock = readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8');
    expect(lock).to.include('node_modules/rapidoc').and.not.include('scarf');
  });
});

describeIfInstalled('chromium', program !== undefined, 'the page of the description in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  before(async () => {
    const [{ own, description }] = describedServers as [(typeof describedServers)[number]];
    server = await serve(own, { description });
    browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    await server.server.close();
  });

  /** What the console said and who was asked beside this server. */
  const watched = (page: Page): { readonly said: string[]; readonly others: string[] } => {
    const [said, others]: [string[], string[]] = [[], []];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(`${server.baseUrl}/`) && !address.startsWith('data:')) others.push(address);
    });
    return { said, others };
  };

  for (const [form, width, colorScheme, shade] of [
    ['a desk', 1_280, 'light', /^rgb\(2\d\d, /],
    ['a phone', 390, 'dark', /^rgb\(\d\d, /],
  ] as const)
    it(`shows the operations on ${form}, in ${colorScheme} colours, and asks nobody else`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      const page = await context.newPage();
      const { said, others } = watched(page);
      await page.goto(`${server.baseUrl}/docs`);
      await page.getByText('/api/v1/coffee/download').first().waitFor({ state: 'attached' });
      const seen = await page.evaluate(
        `({
          width: document.documentElement.scrollWidth,
          colour: getComputedStyle(document.querySelector('rapi-doc')).backgroundColor,
        })`,
      );
      const { width: needed, colour } = seen as { width: number; colour: string };
      expect(needed).to.be.at.most(width);
      expect(colour).to.match(shade);
      expect(said).to.deep.equal([]);
      expect(others).to.deep.equal([]);
      await context.close();
    });

  it('writes requests as their reader wants them: no filter that nobody chose, lists as repeated parameters', async () => {
    const page = await browser.newPage();
    const asked: URL[] = [];
    page.on('request', (request) => {
      const address = new URL(request.url());
      if (address.pathname.startsWith('/api/')) asked.push(address);
    });
    await page.goto(`${server.baseUrl}/docs`);
    const [from, sites] = [field(page, 'from'), field(page, 'site_id')];
    await from.waitFor();
    await field(page, 'to').fill('2026-08-21');
    await from.fill('2026-08-20');
    for (const id of ['11', '12']) {
      await sites.locator('input').fill(id);
      await sites.locator('input').press('Enter');
    }
    expect(await page.locator('rapi-doc').getByText('missing-type-info').count()).to.equal(0);
    const sent = page.waitForRequest(/\/api\//);
    await page.getByRole('button', { name: 'TRY' }).first().click();
    await sent;
    expect(asked.map(({ search }) => search)).to.deep.equal(['?from=2026-08-20&to=2026-08-21&site_id=11&site_id=12']);
    await page.close();
  });
});
