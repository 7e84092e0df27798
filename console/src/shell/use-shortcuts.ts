import { useEffect } from 'preact/hooks';
import { addressOf, go } from '../state/place.ts';
import { nextTheme, theme } from '../state/theme.ts';
import { views } from './views.ts';

/** How long after `g` the second letter counts. */
const pairMs = 1_500;

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement &&
  (target.closest('input, select, textarea, dialog') !== null || target.isContentEditable);

/** Letters that lead somewhere; none of them while somebody writes, or with a key that the browser has a use for. */
export const useShortcuts = (showKeys: () => void): void => {
  useEffect(() => {
    let beganAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const isSecond = event.timeStamp - beganAt < pairMs;
      beganAt = event.key === 'g' ? event.timeStamp : -Infinity;
      const view = isSecond && views.find(({ key }) => key === event.key);
      if (view) go(addressOf(view.name));
      else if (event.key === '?') showKeys();
      else if (event.key === 't') theme.value = nextTheme();
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('input[type="search"]');
        if (!search) return;
        search.focus();
        event.preventDefault();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};
