import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Console, desk, isWhole, phone, reader, signIn, type ViewName, views } from './console.fixture.ts';
import { picture } from './picture.fixture.ts';
import { sideBySide } from './side-by-side.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What keeps people from using a page, by the rules of axe. */
const barriers = async (page: Page): Promise<string[]> => {
  const { violations } = await page.evaluate<{ violations: readonly Finding[] }>('axe.run(document)');
  return violations.map(({ id, impact, nodes }) => `${impact}: ${id} at ${nodes.map(({ html }) => html).join(' ')}`);
};

/** Each form and each theme at least once. */
const looks = [
  ['desk', desk, 'light'],
  ['phone', phone, 'dark'],
  ...(isWhole
    ? ([
        ['desk', desk, 'dark'],
        ['phone', phone, 'light'],
      ] as const)
    : []),
] as const;

const names = Object.keys(views) as ViewName[];
/** Every look at every view in the long form; in the short one each view is looked at once, in one of the looks. */
const viewsOf = (look: number) => names.filter((_, index) => isWhole || index % looks.length === look);
const widths = [360, 768, 1_024, 2_560];

export const appearance = (console: () => Console): void => {
  describe('can be used', () => {
    const byEverybody =
      (index: number, [form, how, colorScheme]: (typeof looks)[number]) =>
      async () => {
        const { browser, baseUrl, token } = console();
        const { page, heard, show, close } = await reader(browser, baseUrl, { ...how, colorScheme });
        const fits = async (name: string, most: number) => {
          const needed = await page.evaluate('document.documentElement.scrollWidth');
          expect(needed, `${name} at ${most}`).to.be.at.most(most);
        };
        // Beside the page's own policy: the rules come with the test.
        const look = async (name: string) => {
          await picture(page, `${form}-${colorScheme}-${name}`);
          await page.evaluate(axe);
          expect(await barriers(page), name).to.deep.equal([]);
          await fits(name, how.viewport.width);
        };
        await look('sign-in');
        await signIn(page, token);
        for (const view of viewsOf(index)) {
          await show(view);
          await look(view);
          if (form !== 'desk') continue;
          for (const width of widths) {
            await page.setViewportSize({ width, height: 900 });
            await fits(view, width);
            await picture(page, `${width}-${colorScheme}-${view}`);
          }
          await page.setViewportSize(how.viewport);
        }
        expect(heard).to.deep.equal([]);
        await close();
      };

    sideBySide({
      ...Object.fromEntries(
        looks.map((look, index) => [`by everybody: ${look[0]}, ${look[2]}`, byEverybody(index, look)]),
      ),
      'just after midnight, when the name of a day stands at the edge': async () => {
        const { browser, baseUrl, token } = console();
        for (const how of [desk, phone]) {
          const { page, show, close } = await reader(browser, baseUrl, { ...how, colorScheme: 'light' });
          await signIn(page, token);
          const midnight = await page.evaluate<number>('new Date().setHours(24, 0, 0, 0)');
          // The narrow one at each of the hours; the wide one has room, and is looked at once.
          for (const minutes of isWhole || how === phone ? [1, 600, 1_020] : [1]) {
            await page.clock.setFixedTime(midnight + minutes * 60_000);
            await page.reload();
            await show('device');
            await picture(page, `${how.viewport.width}-${minutes}-minutes`);
            expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(how.viewport.width);
          }
          await close();
        }
      },

      'in the colours that were chosen, also after it was opened anew': async () => {
        const { browser, baseUrl, token } = console();
        const { page, close } = await reader(browser, baseUrl, { ...desk, colorScheme: 'light' });
        await signIn(page, token);
        const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
        expect(await ground()).to.equal('rgb(244, 246, 248)');
        await page.getByRole('button', { name: /^Colours/ }).click();
        await page.getByRole('button', { name: /^Colours: light/ }).click();
        expect(await ground()).to.equal('rgb(14, 17, 21)');
        await page.reload();
        await page.getByRole('button', { name: /^Colours: dark/ }).waitFor();
        expect(await ground()).to.equal('rgb(14, 17, 21)');
        await close();
      },
    });
  });
};
