import { effect, signal } from '@preact/signals';
import { IconButton } from '../components/controls.tsx';
import { storedValue } from '../state/stored-value.ts';

const themes = ['system', 'light', 'dark'] as const;

const storedTheme = storedValue('popsvc-theme');

const theme = signal<(typeof themes)[number]>(themes.find((each) => each === storedTheme.read()) ?? 'system');

const themeAfter = (current: (typeof themes)[number]) => themes[(themes.indexOf(current) + 1) % themes.length]!;

export const switchTheme = (): void => {
  theme.value = themeAfter(theme.value);
};

export const applyTheme = (): void => {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    storedTheme.write(theme.value);
  });
};

export const ThemeSwitch = () => (
  <IconButton
    icon={theme.value}
    label={`Colours: ${theme.value}. Change to ${themeAfter(theme.value)}`}
    onClick={switchTheme}
  />
);
