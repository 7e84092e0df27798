import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = process.env['POPSVC_SCREENSHOTS'];
if (folder !== undefined) mkdirSync(folder, { recursive: true });

/** Saves a screenshot for review to the folder POPSVC_SCREENSHOTS; does nothing without that variable. */
export const takeScreenshot = async (page: Page, name: string): Promise<void> => {
  if (folder === undefined) return;
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.screenshot({ path: join(folder, `${name}-whole.png`), fullPage: true });
};
