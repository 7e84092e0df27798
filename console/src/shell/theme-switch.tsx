import { IconButton } from '../parts/button.tsx';
import { nextTheme, theme } from '../state/theme.ts';

const words = { system: 'as this machine', light: 'light', dark: 'dark' } as const;

/** One button, three ways round. */
export const ThemeSwitch = () => {
  const next = nextTheme();
  return (
    <IconButton
      icon={theme.value}
      label={`Colours: ${words[theme.value]}. Change to ${words[next]}`}
      onClick={() => (theme.value = next)}
    />
  );
};
