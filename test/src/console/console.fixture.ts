import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findProgram } from '../support/run-conditions.ts';
import { waitUntil, type Service } from '@popsvc/tools/rig';
import type { Receiver } from '../webhooks/receiver.fixture.ts';

/** Undefined if Chromium is not findProgram. */
export const chromiumPath = findProgram('chromium');

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });

export const desktop = { viewport: { width: 1_440, height: 900 } } as const;
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true } as const;

/** A long run opens each view in every layout and colour scheme, and waits for minutes; a short run opens each view once. */
export const isLongRun = process.env['POPSVC_LONG'] === '1' || process.env['POPSVC_SCREENSHOTS'] !== undefined;

/** The views, each with a text that appears when its data is loaded. */
export const views = {
  overview: ['#/', 'Accepted'],
  projections: ['#/projections', 'watcher-summary'],
  parked: ['#/parked', 'PlaysRecorded'],
  quarantine: ['#/parked?kind=quarantine', 'player-9'],
  unknownIds: ['#/parked?kind=unknown', 'CR-1'],
  jobs: ['#/jobs', 'plays.ndjson'],
  devices: ['#/devices?network=101', 'Entrance 1'],
  device: ['#/devices/202', 'The last seven days'],
  completeness: ['#/completeness?network=101', 'NL-1001'],
  outages: ['#/outages?network=101', 'Offline from'],
  webhooks: ['#/webhooks', 'job.finished'],
  cluster: ['#/cluster', 'Read-only tables'],
  networks: ['#/networks', 'Riverside'],
  network: ['#/networks/101', 'Waiting in quarantine, by reason'],
  vendors: ['#/vendors?network=101', 'Waiting in quarantine, by reason'],
  eventLookup: ['#/events?id=bad', 'No event with this id'],
  registry: ['#/registry', 'Northlight'],
  // Another test saves a mapping.
  mappings: ['#/mappings', /No mappings|Registered/],
  workbench: ['#/mappings/new', 'Save as a new version'],
  access: ['#/access', 'New API key'],
  clients: ['#/access?kind=clients', 'New client'],
  analysts: ['#/access?kind=analysts', 'New analyst'],
  accounts: ['#/access?kind=accounts', 'New account'],
  audit: ['#/audit', /^request /],
  doctor: ['#/doctor', 'signing-key'],
} as const;
export type ViewName = keyof typeof views;

/** Polls an expression from outside: the content security policy forbids Playwright's `waitForFunction`. */
export const waitForExpression = async (page: Page, expression: string): Promise<void> => {
  await waitUntil(
    () => page.evaluate(expression),
    (value) => value === true,
    30_000,
  );
};

/** Collects console messages, exceptions, violations of the content security policy and requests to other origins. */
const collectPageErrors = (context: BrowserContext, baseUrl: string): string[] => {
  const pageErrors: string[] = [];
  context.on('console', (message) => {
    const text = message.text();
    // The browser reports each error response, and each request while the service is unavailable.
    if (!text.startsWith('Failed to load resource')) pageErrors.push(text);
  });
  context.on('weberror', (error) => pageErrors.push(error.error().message));
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${baseUrl}/`) && !url.startsWith('data:')) pageErrors.push(`request to ${url}`);
  });
  return pageErrors;
};

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Tests expect it to be empty. */
  readonly pageErrors: readonly string[];
  /** Opens a view and waits for its data. */
  readonly show: (view: ViewName) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens the console in a browser context of its own, signed out. */
export const openConsole = async (
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = desktop,
): Promise<ConsolePage> => {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/London', ...options });
  const pageErrors = collectPageErrors(context, baseUrl);
  const page = await context.newPage();
  await page.goto(`${baseUrl}/`);
  return {
    page,
    context,
    pageErrors,
    async show(view) {
      const [hash, text] = views[view];
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.getByText(text).first().waitFor();
    },
    close: () => context.close(),
  };
};

export const signIn = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel('Operator token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
};

/** The service and the browser that all suites share. */
export interface ConsoleSystem {
  readonly browser: Browser;
  readonly service: Service;
  readonly baseUrl: string;
  readonly token: string;
  /** The subscriber of webhooks. */
  readonly receiver: Receiver;
  /** Stops the service, runs `whileStopped`, and starts the service again with the same data and address, optionally with another token. */
  readonly restart: (whileStopped: () => Promise<void>, token?: string) => Promise<void>;
}
