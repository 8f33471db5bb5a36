#!/usr/bin/python3
"""A WebKitGTK window with a persistent profile; the browser of WebKitWebDriver has none.

WebKitWebDriver starts this program: webkit-browser.py --profile=FOLDER
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402 -- the versions must be chosen first


def start(folder):
    data = WebKit2.WebsiteDataManager(base_data_directory=f"{folder}/data", base_cache_directory=f"{folder}/cache")
    cookies = data.get_cookie_manager()
    cookies.set_persistent_storage(f"{folder}/cookies.sqlite", WebKit2.CookiePersistentStorage.SQLITE)
    context = WebKit2.WebContext.new_with_website_data_manager(data)
    context.set_automation_allowed(True)
    context.connect("automation-started", lambda _, session: prepare(context, session))
    return context


def prepare(context, session):
    about = WebKit2.ApplicationInfo()
    about.set_name("webkit-browser")
    about.set_version(
        WebKit2.get_major_version(), WebKit2.get_minor_version(), WebKit2.get_micro_version()
    )
    session.set_application_info(about)
    session.connect("create-web-view", lambda _: show(context))


def show(context):
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True)
    window = Gtk.Window()
    window.set_default_size(360, 640)
    window.add(view)
    window.show_all()
    return view


running = start(next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--profile=")))
Gtk.main()
