import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { serve, type TestServer } from '../http/server.fixture.ts';
import { describeIfInstalled, findProgram } from '../support/run-conditions.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { describedServers } from '@popsvc/tools/reference-pages';

const program = findProgram('chromium');

/** The input of a parameter in the first operation that has it. */
const field = (page: Page, name: string): Locator => page.locator(`[data-pname="${name}"]`).first();

describe('the page /docs', () => {
  let server: TestServer;
  before(async () => {
    const [{ own, description }] = describedServers as [(typeof describedServers)[number]];
    server = await serve(own, { description });
  });
  after(() => server.server.close());

  it('has its own content security policy', async () => {
    const answer = await fetch(`${server.baseUrl}/docs`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.include("script-src 'self';");
    expect((await fetch(`${server.baseUrl}/docs`, { method: 'HEAD' })).status).to.equal(200);
  });

  it('loads scripts that can be cached forever and are compressed on request', async () => {
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

  it('has no dependency that reports installations', () => {
    const lock = readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8');
    expect(lock).to.include('node_modules/rapidoc').and.not.include('scarf');
  });
});

describeIfInstalled('chromium', program !== undefined, 'the page /docs in a browser', () => {
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

  /** Records console messages and requests to other servers. */
  const watched = (page: Page): { readonly messages: string[]; readonly foreignRequests: string[] } => {
    const [messages, foreignRequests]: [string[], string[]] = [[], []];
    page.on('console', (message) => messages.push(message.text()));
    page.on('pageerror', (error) => messages.push(error.message));
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(`${server.baseUrl}/`) && !address.startsWith('data:')) foreignRequests.push(address);
    });
    return { messages, foreignRequests };
  };

  for (const [form, width, colorScheme, shade] of [
    ['a desk', 1_280, 'light', /^rgb\(2\d\d, /],
    ['a phone', 390, 'dark', /^rgb\(\d\d, /],
  ] as const)
    it(`shows the operations on ${form} in ${colorScheme} colours without requests to other servers`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      const page = await context.newPage();
      const { messages, foreignRequests } = watched(page);
      await page.goto(`${server.baseUrl}/docs`);
      await page.getByText('/api/v1/coffee/download').first().waitFor({ state: 'attached' });
      const measured = await page.evaluate(
        `({
          width: document.documentElement.scrollWidth,
          colour: getComputedStyle(document.querySelector('rapi-doc')).backgroundColor,
        })`,
      );
      const { width: needed, colour } = measured as { width: number; colour: string };
      expect(needed).to.be.at.most(width);
      expect(colour).to.match(shade);
      expect(messages).to.deep.equal([]);
      expect(foreignRequests).to.deep.equal([]);
      await context.close();
    });

  it('sends only parameters with a value, and lists as repeated parameters', async () => {
    const page = await browser.newPage();
    const requests: URL[] = [];
    page.on('request', (request) => {
      const address = new URL(request.url());
      if (address.pathname.startsWith('/api/')) requests.push(address);
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
    expect(requests.map(({ search }) => search)).to.deep.equal([
      '?from=2026-08-20&to=2026-08-21&site_id=11&site_id=12',
    ]);
    await page.close();
  });

  it('shows an example in each body, and the response to a push before that to a validation', async () => {
    const { own, description } = describedServers.find(({ name }) => name === 'command-api')!;
    const ingestion = await serve(own, { description });
    const page = await browser.newPage();
    await page.goto(`${ingestion.baseUrl}/docs`);
    const body = page.locator('textarea.request-body-param-user-input').first();
    await body.waitFor();
    expect(JSON.parse(await body.inputValue())).to.have.nested.property('events[0].eventId', 'demo-play-1');
    expect(await field(page, 'validate_only').inputValue()).to.equal('');
    const chosen = page.locator('api-response').first().locator('.btn-selected-response-status, button.primary');
    await waitUntil(
      async () => (await chosen.first().textContent())?.trim(),
      (status) => status === '202',
    );
    await page.close();
    await ingestion.server.close();
  });
});
