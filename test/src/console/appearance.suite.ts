import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { concurrently } from './concurrent-tests.fixture.ts';
import {
  type ConsoleSystem,
  desktop,
  isLongRun,
  openConsole,
  phone,
  signIn,
  type ViewName,
  views,
  waitForExpression,
} from './console.fixture.ts';
import { takeScreenshot } from './screenshot.fixture.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const accessibilityViolations = async (page: Page): Promise<string[]> => {
  const { violations } = await page.evaluate<{ violations: readonly AxeViolation[] }>('axe.run(document)');
  return violations.map(({ id, impact, nodes }) => `${impact}: ${id} at ${nodes.map(({ html }) => html).join(' ')}`);
};

/** Each layout and each colour scheme at least once; a long run has all combinations. */
const variants = [
  ['desktop', desktop, 'light'],
  ['phone', phone, 'dark'],
  ...(isLongRun
    ? ([
        ['desktop', desktop, 'dark'],
        ['phone', phone, 'light'],
      ] as const)
    : []),
] as const;

/** Runs in the page: the elements that reach beyond the right edge of the window. */
const listOverflowingElements = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((element) => element.tagName.toLowerCase() + (element.className ? '.' + element.className : '') + ' ' + element.textContent.slice(0, 40))
  .slice(0, 12)`;

/** Runs in the page: the parts of charts that reach beyond their cards. */
const listChartOverflows = `[...document.querySelectorAll('figure.card')].flatMap((card) => {
  const { left, right } = card.getBoundingClientRect();
  return [...card.querySelectorAll('*')]
    .filter((part) => part.getBoundingClientRect().right > right + 1 || part.getBoundingClientRect().left < left - 1)
    .map((part) => part.textContent);
})`;

/** Runs in the page: whether the labels of the time axis are within it, none over the one before. */
const haveLabelsRoom = `(() => {
  const [axis, ...boxes] = [...document.querySelectorAll('.time-axis, .time-axis span')].map((each) => each.getBoundingClientRect());
  return boxes.length > 0 && boxes.every(({ left, right }, index) => right <= axis.right && left >= (boxes[index - 1]?.right ?? axis.left));
})()`;

/** Runs in the page: whether a link is in the visible part of the navigation. */
const isLinkVisible = (selector: string) => `(() => {
  const { left, right } = document.querySelector('.nav ${selector}').getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
})()`;

const viewNames = Object.keys(views) as ViewName[];
/** A long run opens every view in every variant; a short run divides the views among the variants. */
const viewsOfVariant = (variant: number) =>
  viewNames.filter((_, index) => isLongRun || index % variants.length === variant);
const widths = isLongRun ? [360, 768, 1_024, 2_560] : [360, 1_024];

export const appearanceSuite = (system: () => ConsoleSystem): void => {
  describe('appearance', function () {
    // A variant opens many views, and checks each with axe.
    this.timeout(180_000);
    const checkVariant = async (index: number, [layout, options, colorScheme]: (typeof variants)[number]) => {
      const { browser, baseUrl, token } = system();
      const { page, pageErrors, show, close } = await openConsole(browser, baseUrl, { ...options, colorScheme });
      const expectToFit = async (name: string, width: number) => {
        const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
        const overflowing = await page.evaluate<readonly string[]>(listOverflowingElements);
        expect(scrollWidth, `${name} at ${width}: ${overflowing.join(', ')}`).to.be.at.most(width);
      };
      const expectChartsToFit = async (name: string, width: number) =>
        expect(await page.evaluate(listChartOverflows), `charts of ${name} at ${width}`).to.deep.equal([]);
      const expectAccessible = async (name: string) => {
        await takeScreenshot(page, `${layout}-${colorScheme}-${name}`);
        // `evaluate` is exempt from the content security policy of the page.
        await page.evaluate(axe);
        const violations = await accessibilityViolations(page);
        expect(violations, `${name}: ${violations.join('\n')}`).to.deep.equal([]);
        await expectToFit(name, options.viewport.width);
        await expectChartsToFit(name, options.viewport.width);
      };
      await expectAccessible('sign-in');
      await signIn(page, token);
      for (const view of viewsOfVariant(index)) {
        await show(view);
        await expectAccessible(view);
        if (layout !== 'desktop') continue;
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          await expectToFit(view, width);
          await expectChartsToFit(view, width);
          await takeScreenshot(page, `${width}-${colorScheme}-${view}`);
        }
        await page.setViewportSize(options.viewport);
      }
      expect(pageErrors).to.deep.equal([]);
      await close();
    };

    concurrently({
      ...Object.fromEntries(
        variants.map((variant, index) => [
          `views are accessible and fit the screen: ${variant[0]}, ${variant[2]}`,
          () => checkVariant(index, variant),
        ]),
      ),
      'the outage timeline fits the screen just after midnight, when a day label is at its edge': async () => {
        const { browser, baseUrl, token } = system();
        for (const options of [desktop, phone]) {
          const { page, show, close } = await openConsole(browser, baseUrl, { ...options, colorScheme: 'light' });
          await signIn(page, token);
          const midnight = await page.evaluate<number>('new Date().setHours(24, 0, 0, 0)');
          // The desktop layout has enough room and is checked at one time only.
          for (const minutes of isLongRun || options === phone ? [1, 600, 1_020] : [1]) {
            await page.clock.setFixedTime(midnight + minutes * 60_000);
            await page.reload();
            await show('device');
            await takeScreenshot(page, `${options.viewport.width}-${minutes}-minutes`);
            expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(options.viewport.width);
          }
          await close();
        }
      },

      'the hours of completeness fit the screen at each time of day, wherever a label of the axis is': async () => {
        const { browser, baseUrl, token } = system();
        const { page, show, close } = await openConsole(browser, baseUrl, { ...desktop, colorScheme: 'light' });
        await signIn(page, token);
        const midnight = await page.evaluate<number>('new Date().setHours(24, 0, 0, 0)');
        // A day has a label every six hours, which moves by an hour each hour.
        for (const hour of isLongRun ? [1, 2, 3, 4, 5, 6] : [3, 5]) {
          await page.setViewportSize(desktop.viewport);
          await page.clock.setFixedTime(midnight + hour * 3_600_000 + 60_000);
          await page.reload();
          await show('completeness');
          for (const width of [desktop.viewport.width, 360]) {
            await page.setViewportSize({ width, height: 900 });
            expect(await page.evaluate('document.documentElement.scrollWidth'), `hour ${hour}`).to.be.at.most(width);
            await waitForExpression(page, haveLabelsRoom);
          }
        }
        await close();
      },

      'the navigation of a narrow screen shows the link of the current view, and at first also that of the doctor':
        async () => {
          const { browser, baseUrl, token } = system();
          const { page, show, close } = await openConsole(browser, baseUrl, desktop);
          await signIn(page, token);
          await show('audit');
          await page.setViewportSize(phone.viewport);
          await waitForExpression(page, isLinkVisible('[aria-current]'));
          await show('overview');
          await waitForExpression(page, isLinkVisible('[aria-current]'));
          await waitForExpression(page, isLinkVisible('[href="#/doctor"]'));
          await close();
        },

      'the selected colour scheme is applied, also after a reload': async () => {
        const { browser, baseUrl, token } = system();
        const { page, close } = await openConsole(browser, baseUrl, { ...desktop, colorScheme: 'light' });
        await signIn(page, token);
        const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
        expect(await background()).to.equal('rgb(244, 246, 248)');
        await page.getByRole('button', { name: /^Colours/ }).click();
        await page.getByRole('button', { name: /^Colours: light/ }).click();
        expect(await background()).to.equal('rgb(14, 17, 21)');
        await page.reload();
        await page.getByRole('button', { name: /^Colours: dark/ }).waitFor();
        expect(await background()).to.equal('rgb(14, 17, 21)');
        await close();
      },
    });
  });
};
