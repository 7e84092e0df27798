import { effect, signal } from '@preact/signals';
import { kept } from './kept.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const chosen = kept('popsvc-theme');

/** Colours as the machine has them, or as the reader chose. */
export const theme = signal<Theme>(themes.find((each) => each === chosen.read()) ?? 'system');

/** What the next turn of the switch leads to. */
export const nextTheme = (): Theme => themes[(themes.indexOf(theme.value) + 1) % themes.length]!;

export const keepTheme = (): void => {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    chosen.write(theme.value);
  });
};
