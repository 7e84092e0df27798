import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { installed } from '../support/is-installed.ts';
import { waitUntil, type Service } from '@popsvc/tools/rig';

/** Undefined: there is none on this machine. */
export const browserProgram = installed('chromium');

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserProgram!, args: ['--no-sandbox'] });

export const desk = { viewport: { width: 1_440, height: 900 } } as const;
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true } as const;

/** Every look at every view and every wait; else each view once, and what can be waited for within seconds. */
export const isWhole = process.env['POPSVC_LONG'] === '1' || process.env['POPSVC_SCREENSHOTS'] !== undefined;

/** The views, each with the words that are there once its data is. */
export const views = {
  overview: ['#/', 'Accepted'],
  projections: ['#/projections', 'watcher-summary'],
  parked: ['#/set-aside', 'PopRecorded'],
  quarantine: ['#/set-aside?kind=quarantine', 'player-9'],
  jobs: ['#/jobs', 'plays.ndjson'],
  devices: ['#/devices?network=101', 'Entrance 1'],
  device: ['#/devices/202', 'The last seven days'],
  completeness: ['#/completeness?network=101', 'NL-1001'],
  doctor: ['#/doctor', 'signing key'],
} as const;
export type ViewName = keyof typeof views;

/** Until an expression is true in the page, whose policy lets nobody else evaluate one. */
export const becomes = async (page: Page, expression: string): Promise<void> => {
  await waitUntil(
    () => page.evaluate(expression),
    (seen) => seen === true,
    30_000,
  );
};

/** What went wrong in a page without anybody seeing it: words of the console, errors, breaches of the policy, strangers asked. */
const listen = (context: BrowserContext, baseUrl: string): string[] => {
  const heard: string[] = [];
  context.on('console', (message) => {
    const text = message.text();
    // The browser tells of every answer that is a refusal, and of every try while the service is away.
    if (!text.startsWith('Failed to load resource')) heard.push(text);
  });
  context.on('weberror', (error) => heard.push(error.error().message));
  context.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(`${baseUrl}/`) && !address.startsWith('data:')) heard.push(`asked ${address}`);
  });
  return heard;
};

export interface Reader {
  readonly page: Page;
  readonly context: BrowserContext;
  /** To be empty in the end. */
  readonly heard: readonly string[];
  /** Goes to a view and waits for what it shows. */
  readonly show: (view: ViewName) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Somebody before the console, who has not signed in. */
export const reader = async (browser: Browser, baseUrl: string, how: BrowserContextOptions = desk): Promise<Reader> => {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/London', ...how });
  const heard = listen(context, baseUrl);
  const page = await context.newPage();
  await page.goto(`${baseUrl}/`);
  return {
    page,
    context,
    heard,
    async show(view) {
      const [address, words] = views[view];
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
      await page.getByText(words).first().waitFor();
    },
    close: () => context.close(),
  };
};

export const signIn = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel('Operator token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
};

/** What every suite is about; one service and one browser for all of them. */
export interface Console {
  readonly browser: Browser;
  readonly service: Service;
  readonly baseUrl: string;
  readonly token: string;
  /** Ends the service and starts it again on its data, at the same address; with another operator token where one is given. */
  readonly restart: (meanwhile: () => Promise<void>, token?: string) => Promise<void>;
}
