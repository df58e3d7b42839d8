import { begin } from '../begin.js';

begin(() => import('./page.js'));
