import { render } from 'preact';
import { App } from './shell/app.tsx';
import { keepTheme } from './state/theme.ts';

keepTheme();
render(<App />, document.getElementById('root')!);
