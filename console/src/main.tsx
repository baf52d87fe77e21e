// Starts the page: language and theme first, then who is here, then the screens.
import { render } from "preact";
import { watchConnection } from "./core/connection";
import { startRouter } from "./core/router";
import { startTheme } from "./core/theme";
import { startLanguage } from "./i18n/i18n";
import { App } from "./app";
import "uplot/dist/uPlot.min.css";
import "./styles/theme.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/table.css";
import "./styles/parts.css";
import "./styles/screens.css";

startTheme();
startLanguage();
startRouter();
watchConnection();
const root = document.getElementById("app");
if (root) render(<App />, root);
