import { render } from 'preact';
import { App } from './shell/app.tsx';
import { followOtherTabs } from './shell/sign-in.ts';
import { keepTheme } from './state/theme.ts';

keepTheme();
followOtherTabs();
render(<App />, document.getElementById('root')!);
